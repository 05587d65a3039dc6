#!/usr/bin/env node
// As much of curl as the README uses, for machines without it: -s, -i, -X, -H, -d and one URL.
const words = process.argv.slice(2);
const request = { method: 'GET', headers: [] };
let url = '';
let showHeaders = false;
for (let word = words.shift(); word !== undefined; word = words.shift()) {
  if (word === '-X') request.method = words.shift();
  else if (word === '-d') request.body = words.shift();
  else if (word === '-H') request.headers.push(words.shift().split(': ', 2));
  else if (/^-s?i?$/.test(word)) showHeaders ||= word.includes('i');
  else if (word.startsWith('-')) throw new Error(`The README uses the option ${word}, which this curl does not have.`);
  else url = word;
}
const response = await fetch(url, request);
const head = [
  `HTTP/1.1 ${response.status} ${response.statusText}`,
  ...Array.from(response.headers, (field) => field.join(': ')),
];
process.stdout.write(`${showHeaders ? `${head.join('\n')}\n\n` : ''}${await response.text()}\n`);
