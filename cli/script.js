"use strict";
// Searching, sorting and pointing at a map. Without this script the page says the same.
const tables = [...document.querySelectorAll("main table")].map(table => {
	// A row goes with those under it.
	const groups = [];
	for (const row of table.tBodies[0].rows) {
		if (row.classList.contains("under") && groups.length) groups[groups.length - 1].push(row);
		else groups.push([row]);
	}
	const scroll = table.parentElement, before = scroll.previousElementSibling;
	const title = before && before.tagName === "H3" ? before : null;
	const none = document.createElement("p");
	none.className = "none";
	none.textContent = "No row matches the search.";
	none.hidden = true;
	if (!title) scroll.after(none);
	return { table, groups, original: groups, scroll, title, none, texts: null };
});

// A column is sorted up, then down, then not at all.
function sortBy(t, column, button) {
	const head = button.parentElement;
	const next = { ascending: "descending", descending: null }[head.getAttribute("aria-sort")];
	for (const th of t.table.tHead.rows[0].cells) th.removeAttribute("aria-sort");
	t.groups = t.original;
	if (next !== null) {
		const down = next === "descending", order = new Intl.Collator("en", { numeric: true });
		head.setAttribute("aria-sort", down ? "descending" : "ascending");
		const value = group => {
			const cell = group[0].cells[column];
			return cell ? cell.dataset.sort ?? cell.textContent : "";
		};
		const keyed = t.original.map(group => [value(group), group]);
		keyed.sort((a, b) => (down ? -1 : 1) * order.compare(a[0], b[0]));
		t.groups = keyed.map(k => k[1]);
	}
	t.texts = null;
	t.table.tBodies[0].append(...t.groups.flat());
}

for (const t of tables) {
	[...t.table.tHead.rows[0].cells].forEach((th, column) => {
		if ("fixed" in th.dataset) return;
		const button = document.createElement("button");
		button.type = "button";
		button.textContent = th.textContent;
		th.replaceChildren(button);
		button.addEventListener("click", () => sortBy(t, column, button));
	});
}

const search = document.getElementById("search"), found = document.getElementById("found");
document.getElementById("tools").hidden = false;
function filter() {
	const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
	let shown = 0, all = 0;
	for (const t of tables) {
		const of = t.title ? t.title.textContent : "";
		t.texts ??= t.groups.map(group => [of, ...group.map(row => row.textContent)].join(" ").toLowerCase());
		let any = false;
		t.groups.forEach((group, i) => {
			const hit = words.every(w => t.texts[i].includes(w));
			any ||= hit;
			for (const row of group) {
				row.hidden = !hit;
				all++;
				if (hit) shown++;
			}
		});
		t.scroll.hidden = !any;
		t.none.hidden = any;
		if (t.title) t.title.hidden = !any;
	}
	found.textContent = words.length ? `${shown} of ${all} rows` : "";
}
search.addEventListener("input", filter);
document.addEventListener("keydown", event => {
	if (event.key === "/" && event.target !== search && !event.ctrlKey && !event.metaKey && !event.altKey) {
		event.preventDefault();
		search.focus();
	}
	if (event.key === "Escape" && event.target === search) {
		search.value = "";
		filter();
	}
});

for (const map of document.querySelectorAll("svg.map")) {
	const name = kind => [...map.querySelectorAll(`.${kind} text`)].map(text => text.dataset.name ?? text.textContent);
	const rows = name("rows"), columns = name("columns");
	const kinds = [...map.closest("section").querySelectorAll(".legend li")].map(li => li.textContent);
	const told = document.getElementById(map.id.replace(/-map$/, "-told"));
	const left = +map.dataset.left, top = +map.dataset.top, size = +map.dataset.size;
	const at = document.createElementNS("http://www.w3.org/2000/svg", "rect");
	at.setAttribute("class", "at");
	at.setAttribute("width", size);
	at.setAttribute("height", size);
	let row = 0, column = 0;
	function show() {
		at.setAttribute("x", left + column * size);
		at.setAttribute("y", top + row * size);
		map.append(at);
		const kind = kinds[map.dataset.cells[row * columns.length + column]] ?? "no connections";
		told.textContent = `from ${rows[row]} to ${columns[column]}: ${kind}`;
	}
	map.addEventListener("pointermove", event => {
		const box = map.getBoundingClientRect();
		const x = Math.floor((event.clientX - box.left - left) / size), y = Math.floor((event.clientY - box.top - top) / size);
		if (x < 0 || y < 0 || x >= columns.length || y >= rows.length) return;
		row = y;
		column = x;
		show();
	});
	map.addEventListener("keydown", event => {
		const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -column], End: [0, columns.length] }[event.key];
		if (!step) return;
		event.preventDefault();
		row = Math.min(rows.length - 1, Math.max(0, row + step[0]));
		column = Math.min(columns.length - 1, Math.max(0, column + step[1]));
		show();
	});
	map.addEventListener("focus", show);
}
