// Runs before the first paint, so that nothing remembered flashes or pushes the page down when it comes: theme, depth,
// and whether the coach's page shows the review of a finished game. Kept tiny and dependency-free.
(function () {
  try {
    var root = document.documentElement;
    var theme = localStorage.getItem("yatzy-theme");
    var depth = localStorage.getItem("yatzy-depth");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    if (depth === "math" || depth === "code") root.dataset.depth = depth;
    if (localStorage.getItem("yatzy-view") === "review") root.dataset.view = "review";
  } catch (error) {
    // Storage may be forbidden; the page then starts with its defaults.
  }
})();
