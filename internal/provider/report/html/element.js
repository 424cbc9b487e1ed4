// el returns an element with attributes and children. Strings become text nodes, so no text is markup.
function el(tag, attributes, ...children) {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== false) out.setAttribute(name, value === true ? "" : value);
  }
  out.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return out;
}

function byID(id) {
  return document.getElementById(id);
}

// numbered returns a number with a noun.
function numbered(n, noun) {
  return n.toLocaleString("en") + " " + noun + (n === 1 ? "" : "s");
}

// sign returns the sign of an action in its color. The label next to it says the same in words.
function sign(action) {
  return el("span", { class: "sign tone-" + action.tone, "aria-hidden": "true" }, action.sign);
}

// table returns a table. Cells are texts or nodes; the first cell of a row is its header.
function table(head, rows, name) {
  return el("div", { class: "scroll" }, el("table", { class: name },
    el("thead", {}, el("tr", {}, head.map((cell) => el("th", { scope: "col" }, cell)))),
    el("tbody", {}, rows.map((cells) => el("tr", {}, cells.map((cell, i) => el(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : {}, cell)))))));
}
