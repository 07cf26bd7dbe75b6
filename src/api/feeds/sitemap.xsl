<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" exclude-result-prefixes="s image">
  <xsl:output method="html" encoding="UTF-8" indent="yes" doctype-system="about:legacy-compat"/>
  <xsl:template match="/">
    <html lang="en">
      <head>
        <title>Sitemap</title>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta name="robots" content="noindex"/>
        <style>
          :root { color-scheme: light dark; }
          body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
          table { border-collapse: collapse; width: 100%; }
          th, td { border-bottom: 1px solid #8884; padding: .4rem .8rem .4rem 0; text-align: start; vertical-align: top; }
          td:first-child { overflow-wrap: anywhere; }
          .n { font-variant-numeric: tabular-nums; white-space: nowrap; }
        </style>
      </head>
      <body>
        <h1>Sitemap</h1>
        <p>This file lists the pages of the site for search engines. <a href="/sitemap.xml">All sitemaps</a></p>
        <xsl:apply-templates select="s:sitemapindex | s:urlset"/>
      </body>
    </html>
  </xsl:template>
  <xsl:template match="s:sitemapindex">
    <table>
      <thead><tr><th scope="col">Sitemap</th><th scope="col">Last change</th></tr></thead>
      <tbody>
        <xsl:for-each select="s:sitemap">
          <tr><td><a href="{s:loc}"><xsl:value-of select="s:loc"/></a></td><xsl:apply-templates select="s:lastmod"/></tr>
        </xsl:for-each>
      </tbody>
    </table>
  </xsl:template>
  <xsl:template match="s:urlset">
    <table>
      <thead><tr><th scope="col">Page</th><th scope="col">Images</th><th scope="col">Last change</th></tr></thead>
      <tbody>
        <xsl:for-each select="s:url">
          <tr>
            <td><a href="{s:loc}"><xsl:value-of select="s:loc"/></a></td>
            <td class="n"><xsl:value-of select="count(image:image)"/></td>
            <xsl:apply-templates select="s:lastmod"/>
          </tr>
        </xsl:for-each>
      </tbody>
    </table>
  </xsl:template>
  <xsl:template match="s:lastmod">
    <td class="n"><xsl:value-of select="concat(substring(., 1, 10), ' ', substring(., 12, 5))"/></td>
  </xsl:template>
</xsl:stylesheet>
