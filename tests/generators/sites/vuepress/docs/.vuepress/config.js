import { viteBundler } from '@vuepress/bundler-vite'
import { defaultTheme } from '@vuepress/theme-default'
import { defineUserConfig } from 'vuepress'
export default defineUserConfig({
  title: 'Harbour',
  lang: 'en-US',
  bundler: viteBundler(),
  theme: defaultTheme(),
})
