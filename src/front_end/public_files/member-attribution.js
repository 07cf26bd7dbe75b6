// Stores the last pages of the site that a reader visited in this tab, and the referrer. Portal sends them when the reader
// signs up.
(() => {
  const KEY = 'ghost-history';
  const HOURS_MAX = 24;
  const PAGES_MAX = 15;

  const page = new URL(location.href);
  const query = page.searchParams;
  const referrer = () => {
    try {
      const url = new URL(document.referrer);
      return url.hostname === page.hostname ? null : url;
    } catch {
      return null;
    }
  };
  const from = referrer();
  const named = (name) => query.get(name);
  const source = {
    referrerSource: named('ref') || named('source') || named('utm_source') || from?.hostname || null,
    referrerMedium: named('utm_medium'),
    utmSource: named('utm_source'),
    utmMedium: named('utm_medium'),
    utmCampaign: named('utm_campaign'),
    utmTerm: named('utm_term'),
    utmContent: named('utm_content'),
    referrerUrl: from ? `${from.origin}${from.pathname}` : null,
  };
  const stored = () => {
    try {
      const history = JSON.parse(sessionStorage.getItem(KEY));
      const begin = Date.now() - HOURS_MAX * 60 * 60 * 1000;
      return Array.isArray(history) ? history.filter((entry) => entry && entry.time >= begin) : [];
    } catch {
      return [];
    }
  };

  try {
    const history = stored();
    const time = Date.now();
    const [id, type] = [named('attribution_id'), named('attribution_type')];
    if (id && type) {
      history.push({ time, id, type, ...source });
      query.delete('attribution_id');
      query.delete('attribution_type');
      window.history.replaceState({}, '', page.pathname + page.search + page.hash);
    }
    const last = history[history.length - 1];
    if (last?.path === page.pathname) {
      const given = Object.entries(source).filter(([, value]) => value);
      Object.assign(last, Object.fromEntries(given), { time });
    } else {
      history.push({ path: page.pathname, time, ...source });
    }
    sessionStorage.setItem(KEY, JSON.stringify(history.slice(-PAGES_MAX)));
  } catch {
    // Without session storage, nothing is stored.
  }
})();
