// Finds pages, headings and symbols by a part of their names; the list is index.js, so that it works from a disk.
'use strict';
const root = document.body.dataset.root;
const input = document.querySelector('.search input');
const list = document.querySelector('.search ol');

function found(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = [];
    if (words.length) {
        for (const [name, address, kind] of siteIndex) {
            const lower = name.toLowerCase();
            if (words.every((word) => lower.includes(word))) {
                // Names that are or begin with what was typed come first, then short ones.
                const rank = (lower === words[0] ? 0 : lower.startsWith(words[0]) ? 1 : 2) * 1000 + name.length;
                hits.push({ name, address, kind, rank });
            }
        }
    }
    return hits.sort((a, b) => a.rank - b.rank).slice(0, 20);
}

function show() {
    list.replaceChildren(...found(input.value).map(({ name, address, kind }) => {
        const item = document.createElement('li');
        const link = document.createElement('a');
        const remark = document.createElement('small');
        link.href = root + address;
        link.textContent = name + ' ';
        remark.textContent = kind;
        link.append(remark);
        item.append(link);
        return item;
    }));
    list.hidden = !list.children.length;
}

input.addEventListener('input', show);
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
