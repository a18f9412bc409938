// Finds sections of pages and names of C++, Python and JavaScript; the lists are in index.js, so that it works from a disk.
'use strict';

const kMostHits = 30;
// Of two hits that are as good: C++ before the others.
const kLastKinds = ['Python', 'JavaScript'];

// Words as they are compared: a name is found by any part of it, a text by the beginnings of its words.
const lowerCase = (text) => text.toLowerCase().replace(/\s+/g, ' ').trim();
const wordsOf = (text) => text.split(' ').filter(Boolean);
const holdsPhrase = (text, phrase) => ` ${text} `.includes(` ${phrase} `);

// The query, and the same with one of its words or phrases replaced by another word for it.
function alternatives(query) {
    const all = [query];
    for (const [word, others] of Object.entries(siteWords.synonyms)) {
        // A plural asks for the same.
        for (const form of [word, `${word}s`]) {
            if (holdsPhrase(query, form)) {
                for (const other of others) all.push(lowerCase(` ${query} `.replace(` ${form} `, ` ${lowerCase(other)} `)));
            }
        }
    }
    return all;
}

// 0 for a name that is the query, 1 for one of which a word begins with it, 2 for one that holds it, 3 for a text; else null.
function rankOf(name, text, words) {
    const own = name.toLowerCase();
    if (words.every((word) => own.includes(word))) {
        const joined = words.join(' ');
        const last = own.slice(Math.max(own.lastIndexOf('.'), own.lastIndexOf('::') + 1) + 1);
        const begins = new Set(['', '.', ':', '_', ' ']);
        for (let at = own.indexOf(joined); at >= 0; at = own.indexOf(joined, at + 1)) {
            if (begins.has(own.charAt(at - 1))) return own === joined || last === joined ? 0 : 1;
        }
        return 2;
    }
    const all = ` ${text} ${own}`;
    const parts = words.flatMap((word) => word.match(/[\p{L}\p{N}_+#-]{2,}/gu) ?? [word]);
    return parts.every((part) => all.includes(` ${part}`)) ? 3 : null;
}

// Remarks on things that are not in the library though a reader may look for them, with pages on the nearest there is.
function absent(query) {
    return siteWords.absent.filter(({ asked }) =>
        asked.some((phrase) => holdsPhrase(query, phrase) || holdsPhrase(query, `${phrase}s`)));
}

/** Hits, best first, and the remarks on what is not there. */
function search(text) {
    const query = lowerCase(text);
    if (!query) return { hits: [], absent: [] };
    const best = new Map();
    alternatives(query).forEach((alternative, index) => {
        const words = wordsOf(alternative);
        for (const [name, address, kind, itsText] of siteIndex) {
            const rank = rankOf(name, itsText ?? '', words);
            if (rank === null) continue;
            // The typed words come before their synonyms, names before texts, short names before long ones.
            const order = rank * 1000 + (index ? 500 : 0) + Math.min(name.length, 499);
            if (!(best.get(address)?.order <= order)) best.set(address, { name, address, kind, order });
        }
    });
    const hits = [...best.values()].sort((a, b) =>
        a.order - b.order || kLastKinds.indexOf(a.kind) - kLastKinds.indexOf(b.kind) || (a.name < b.name ? -1 : 1));
    return { hits: hits.slice(0, kMostHits), absent: absent(query) };
}

function show(root, input, list) {
    const item = (...content) => {
        const row = document.createElement('li');
        row.append(...content);
        return row;
    };
    const link = (name, address, remark) => {
        const made = document.createElement('a');
        made.href = root + address;
        made.textContent = name + ' ';
        const small = document.createElement('small');
        small.textContent = remark;
        made.append(small);
        return made;
    };
    const found = search(input.value);
    const rows = found.absent.map(({ text, see }) => {
        const row = item(text, ...see.map(([name, address]) => link(name, address, 'see')));
        row.className = 'absent';
        return row;
    });
    rows.push(...found.hits.map(({ name, address, kind }) => item(link(name, address, kind))));
    if (!rows.length && input.value.trim()) {
        const row = item(`No page and no name has “${input.value.trim()}” in it.`);
        row.className = 'absent';
        rows.push(row);
    }
    list.replaceChildren(...rows);
    list.hidden = !rows.length;
}

if (typeof document !== 'undefined') {
    const root = document.body.dataset.root;
    const input = document.querySelector('.search input');
    const list = document.querySelector('.search ol');
    input.addEventListener('input', () => show(root, input, list));
    document.addEventListener('keydown', (event) => {
        const links = [...list.querySelectorAll('a')];
        const at = links.indexOf(document.activeElement);
        if (event.key === '/' && document.activeElement !== input) input.focus();
        else if (event.key === 'Escape') list.hidden = true;
        else if (event.key === 'Enter' && document.activeElement === input && links.length) links[0].click();
        else if (event.key === 'ArrowDown' && links.length && (at >= 0 || document.activeElement === input))
            (links[at + 1] ?? links[at]).focus();
        else if (event.key === 'ArrowUp' && at >= 0) (links[at - 1] ?? input).focus();
        else return;
        event.preventDefault();
    });
    // On a narrow screen the pages are one line until they are asked for.
    if (matchMedia('(max-width: 52rem)').matches) document.querySelector('nav details').open = false;
}
