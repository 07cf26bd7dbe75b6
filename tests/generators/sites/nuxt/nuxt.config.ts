export default defineNuxtConfig({ modules: ['@nuxt/content'], compatibilityDate: '2025-01-01', telemetry: false, content: { experimental: { sqliteConnector: 'better-sqlite3' } } })
