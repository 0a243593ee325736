// The search of the reference: ranks the entries of search-index.js against what is typed. Works without a server.
"use strict";

// How well one word fits an entry; 0 if it does not.
function fit(word, entry) {
    const name = entry[0];
    const last = name.slice(name.lastIndexOf(".") + 1);
    const lower = word.toLowerCase();
    const short = last.toLowerCase();
    const whole = name.toLowerCase();
    if (last === word || name === word) return 120;
    if (short === lower || whole === lower) return 110;
    // Who writes capitals means a type: `BatchNorm` is `BatchNorm1d` rather than `batch_norm`.
    if (/[A-Z]/.test(word) && last.startsWith(word)) return 108 - Math.min(2, last.length - word.length);
    // Without `_`, so that `crossentropy` finds `cross_entropy` and `batchnorm` finds `BatchNorm1d`.
    const plain = lower.replace(/_/g, "");
    const bare = short.replace(/_/g, "");
    if (bare === plain) return 105;
    if (short.startsWith(lower) || bare.startsWith(plain)) return 80 - Math.min(20, short.length - lower.length);
    if (whole.startsWith(lower)) return 60;
    const parts = last.split(/_|(?<=[a-z0-9])(?=[A-Z])/).map((part) => part.toLowerCase());
    if (parts.some((part) => part.startsWith(lower))) return 50 - Math.min(10, parts.length);
    if (bare.includes(plain)) return 35;
    if (whole.includes(lower)) return 25;
    const summary = entry[4].toLowerCase();
    if (new RegExp("\\b" + lower.replace(/[^a-z0-9_]/g, "\\$&") + "\\b").test(summary)) return 18;
    return summary.includes(lower) ? 10 : 0;
}

// The best entries for a text: each of its words must fit.
function rank(text, reference, most) {
    const words = text.trim().split(/\s+/).filter((word) => word !== "");
    if (words.length === 0) return [];
    const found = [];
    for (const entry of reference.entries) {
        let score = 0;
        for (const word of words) {
            const points = fit(word, entry);
            if (points === 0) { score = 0; break; }
            score += points;
        }
        if (score > 0) {
            // Types and functions before methods, short paths before long ones.
            score += entry[3] + (entry[1] === "method" ? 0 : 4) + (/^(class|trait|fn)$/.test(entry[1]) ? 1 : 0);
            found.push([score, entry]);
        }
    }
    found.sort((a, b) => b[0] - a[0] || a[1][0].length - b[1][0].length || (a[1][0] < b[1][0] ? -1 : 1));
    return found.slice(0, most).map((pair) => pair[1]);
}

function address(entry, reference) {
    const page = reference.pages[entry[2]] + ".html";
    return entry[1] === "module" ? page : page + "#" + entry[0];
}

function start() {
    const input = document.getElementById("search");
    const list = document.getElementById("results");
    let chosen = -1;
    function choose(at) {
        const rows = list.querySelectorAll("li[role=option]");
        if (rows.length === 0) return;
        chosen = (at + rows.length) % rows.length;
        rows.forEach((row, place) => row.setAttribute("aria-selected", place === chosen ? "true" : "false"));
        rows[chosen].scrollIntoView({ block: "nearest" });
        input.setAttribute("aria-activedescendant", rows[chosen].id);
    }
    function close() {
        list.hidden = true;
        input.setAttribute("aria-expanded", "false");
        input.removeAttribute("aria-activedescendant");
    }
    function show() {
        const found = rank(input.value, REFERENCE, 30);
        list.replaceChildren();
        chosen = -1;
        if (input.value.trim() === "") { close(); return; }
        found.forEach((entry, place) => {
            const row = document.createElement("li");
            const link = document.createElement("a");
            const about = document.createElement("small");
            row.id = "result" + place;
            row.setAttribute("role", "option");
            link.href = address(entry, REFERENCE);
            link.tabIndex = -1;
            about.textContent = " " + REFERENCE.pages[entry[2]] + (entry[4] === "" ? "" : " - " + entry[4]);
            link.append(entry[0], about);
            link.addEventListener("click", close);
            row.append(link);
            list.append(row);
        });
        if (found.length === 0) {
            const none = document.createElement("p");
            none.textContent = "Nothing has this name.";
            list.append(none);
        }
        list.hidden = false;
        input.setAttribute("aria-expanded", "true");
        choose(0);
    }
    input.addEventListener("input", show);
    input.addEventListener("focus", () => { if (input.value !== "") show(); });
    input.addEventListener("keydown", (event) => {
        if (event.key === "ArrowDown") { choose(chosen + 1); event.preventDefault(); }
        else if (event.key === "ArrowUp") { choose(chosen - 1); event.preventDefault(); }
        else if (event.key === "Escape") { input.value = ""; close(); input.blur(); }
        else if (event.key === "Enter") {
            const link = list.querySelector("li[aria-selected=true] a");
            if (link) { link.click(); event.preventDefault(); }
        }
    });
    document.addEventListener("keydown", (event) => {
        const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
        if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
            input.focus();
            input.select();
            event.preventDefault();
        }
    });
    document.addEventListener("click", (event) => { if (!event.target.closest(".search")) close(); });
    // On a wide screen the contents are open.
    if (window.matchMedia("(min-width: 56rem)").matches) {
        document.querySelectorAll("nav details").forEach((details) => { details.open = true; });
    }
}

if (typeof document !== "undefined") start();
if (typeof module !== "undefined") module.exports = { rank, address };
