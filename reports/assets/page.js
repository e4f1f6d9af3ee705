"use strict";
(() => {
  const root = document.documentElement;
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const narrow = matchMedia("(max-width: 600px)");
  const theme = () => root.dataset.theme || (dark.matches ? "dark" : "light");
  let printing = false;

  // Figures carry no colour of their own for texts and grids: they take the page's.
  const themed = () => {
    const ink = theme() === "dark" && !printing ? "#e6e9ed" : "#1b1f24";
    const paper = theme() === "dark" && !printing ? "#1d2126" : "#ffffff";
    return { "font.color": ink, "hoverlabel.bgcolor": paper, "hoverlabel.font.color": ink };
  };
  const names = (id) => Object.keys(figures[id].layout);
  const changes = (id) => {
    const all = themed();
    for (const axis of names(id).filter((name) => /^[xy]axis/.test(name))) {
      all[axis + ".linecolor"] = all[axis + ".tickcolor"] = all["font.color"];
    }
    return all;
  };
  const spread = (layout, flat) => {
    for (const [path, value] of Object.entries(flat)) {
      const keys = path.split("."), last = keys.pop();
      keys.reduce((at, key) => (at[key] = at[key] || {}), layout)[last] = value;
    }
    return layout;
  };
  const isMap = (trace) => trace.type === "heatmap" && trace.texttemplate;
  const mapFont = (small) => (small && (printing || narrow.matches) ? (printing ? 5 : 6) : 9);
  // A title is centred below its axis, which long tick labels can make shorter than the title.
  const inTwo = (text) => {
    const gaps = [...text.matchAll(/ /g)].map((found) => found.index);
    const far = (gap) => Math.abs(gap - text.length / 2);
    const best = gaps.reduce((a, b) => (far(b) < far(a) ? b : a), gaps[0]);
    return best === undefined ? text : text.slice(0, best) + "<br>" + text.slice(best + 1);
  };
  const wrapTitles = (place) => {
    const found = {}, room = place.querySelector(".main-svg").getBoundingClientRect();
    for (const item of place.querySelectorAll(".infolayer [class$=title]")) {
      const kind = /^(x\d*)title$/.exec(item.getAttribute("class"));
      const box = item.getBoundingClientRect();
      if (!kind || (box.left >= room.left && box.right <= room.right)) continue;
      const axis = kind[1].replace("x", "xaxis"), { text } = place.layout[axis].title;
      if (!text.includes("<br>")) found[axis + ".title.text"] = inTwo(text);
    }
    return Object.keys(found).length ? Plotly.relayout(place, found) : place;
  };
  // Names of bars take at most a third of a narrow figure.
  const wrapNames = (data) => {
    for (const trace of data) {
      if (trace.type !== "bar" || trace.orientation !== "h" || !Array.isArray(trace.y)) continue;
      trace.y = trace.y.map((name) => (String(name).length > 22 ? inTwo(String(name)) : name));
    }
  };
  const draw = (id) => {
    const { data, layout } = figures[id];
    spread(layout, changes(id));
    if (narrow.matches) {
      layout.margin = { ...layout.margin, l: 8, r: layout.annotations ? 24 : 8 };
      layout.font.size = 11;
      wrapNames(data);
      for (const trace of data) if (isMap(trace)) trace.textfont = { size: mapFont(true) };
    }
    const place = document.getElementById(id);
    return Plotly.newPlot(place, data, layout, {
      responsive: true, displaylogo: false, displayModeBar: narrow.matches ? false : undefined,
      toImageButtonOptions: { format: "svg", filename: place.dataset.name },
    }).then(() => wrapTitles(place)).then(() => { place.dataset.drawn = "yes"; });
  };
  const recolour = () => {
    for (const id of Object.keys(figures)) {
      if (document.getElementById(id).dataset.drawn) Plotly.relayout(id, changes(id));
    }
  };
  const button = document.getElementById("theme");
  const label = () => {
    button.textContent = theme() === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", "Switch to " + button.textContent.toLowerCase() + " colours");
  };
  button.addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    label();
    recolour();
  });
  dark.addEventListener("change", () => { label(); recolour(); });
  // Paper is narrower than most windows: figures take its width, two of them half each.
  const fit = () => {
    for (const id of Object.keys(figures)) {
      const place = document.getElementById(id);
      if (!place.dataset.drawn) continue;
      const width = place.closest(".pair") ? 345 : 700;
      Plotly.relayout(id, printing ? { autosize: false, width } : { autosize: true, width: null });
      if (printing) wrapTitles(place);
      if (figures[id].data.some(isMap)) Plotly.restyle(id, { "textfont.size": mapFont(width < 500) });
    }
  };
  addEventListener("beforeprint", () => {
    printing = true;
    for (const item of document.querySelectorAll("details.hot")) item.open = true;
    recolour();
    fit();
  });
  addEventListener("afterprint", () => { printing = false; recolour(); fit(); });
  label();
  // One figure after the other, so that the page can be read and scrolled meanwhile.
  const queue = Object.keys(figures);
  const next = () => {
    const id = queue.shift();
    if (id === undefined) { root.dataset.ready = "yes"; return; }
    draw(id).then(() => setTimeout(next, 0));
  };
  setTimeout(next, 0);
})();
