// Runs before the first paint, so that nothing remembered flashes or pushes the page down when it comes: theme, depth,
// whether the coach's page shows the review of a finished game, and whether it waits for another language than that of
// its HTML. Kept tiny and dependency-free.
(function () {
  try {
    var root = document.documentElement;
    var theme = localStorage.getItem("yatzy-theme");
    var depth = localStorage.getItem("yatzy-depth");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    if (depth === "math" || depth === "code") root.dataset.depth = depth;
    var languages = [localStorage.getItem("yatzy-language")].concat(navigator.languages).filter(Boolean);
    var spoken = languages.find((one) => /^(en|sv|no|nb|nn|da|fi|de)\b/i.test(one)) || "en";
    // The article is in English: it says so to those who read other languages of the coach.
    var place = /\/play\//.test(location.pathname) ? "wait" : "spoken";
    if (!/^en\b/i.test(spoken)) root.dataset[place] = spoken.slice(0, 2).toLowerCase();
    if (localStorage.getItem("yatzy-view") === "review") root.dataset.view = "review";
  } catch (error) {
    // Storage may be forbidden; the page then starts with its defaults.
  }
})();
