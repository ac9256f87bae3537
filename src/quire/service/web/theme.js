// Light or dark, before the page is drawn: the system's choice unless the reader made one.
(() => {
  const chosen = localStorage.getItem("quire-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
