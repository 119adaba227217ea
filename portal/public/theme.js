// Runs before the first paint, so that a chosen theme does not flash.
try {
  const theme = localStorage.getItem('hp-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  if (localStorage.getItem('hp-sidebar') === 'folded') document.documentElement.dataset.sidebar = 'folded';
  const accent = JSON.parse(localStorage.getItem('hp-accent') ?? 'null');
  if (accent)
    for (const [name, value] of Object.entries(accent))
      document.documentElement.style.setProperty(name, value);
} catch {}
