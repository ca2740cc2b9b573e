// SPDX-License-Identifier: MIT
//
// node speedscope.js PROFILE SCREENSHOT CHROMIUM
//
// Serve the npm package speedscope on loopback, open PROFILE in it with a
// headless Chromium, and print the text of the page. NODE_PATH must contain
// speedscope and playwright-core.
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');
const { chromium } = require('playwright-core');

const [profile, screenshot, browserPath] = process.argv.slice(2);
const root = path.join(
	path.dirname(require.resolve('speedscope/package.json')),
	'dist/release');
const types = { '.html': 'text/html', '.js': 'text/javascript',
	'.css': 'text/css', '.wasm': 'application/wasm',
	'.woff2': 'font/woff2', '.json': 'application/json' };

function answer(request, response) {
	const name = decodeURIComponent(request.url.split(/[?#]/)[0]);
	const file = name === '/profile.json' ? profile :
		path.join(root, path.normalize(name === '/' ? '/index.html' : name));
	fs.readFile(file, (error, body) => {
		response.writeHead(error ? 404 : 200, { 'Content-Type':
			types[path.extname(file)] || 'application/octet-stream' });
		response.end(error ? '' : body);
	});
}

async function main() {
	const server = http.createServer(answer);
	await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
	const url = `http://127.0.0.1:${server.address().port}`;
	const browser = await chromium.launch({ executablePath: browserPath,
		args: ['--no-sandbox', '--disable-gpu'] });
	const page = await browser.newPage({
		viewport: { width: 1400, height: 700 } });
	const said = [];
	page.on('console', m => said.push(m.text()));
	page.on('pageerror', e => said.push(`error: ${e.message}`));
	await page.goto(`${url}/#profileURL=${url}/profile.json`);
	await page.waitForFunction(
		() => /\(\d+\/\d+\)/.test(document.body.innerText),
		null, { timeout: 60000 });
	// Two frames, so that the chart is drawn.
	await page.evaluate(() => new Promise(resolve =>
		requestAnimationFrame(() => requestAnimationFrame(resolve))));
	await page.screenshot({ path: screenshot });
	console.log(await page.evaluate(() => document.body.innerText));
	said.forEach(line => console.error(line));
	await browser.close();
	server.close();
}

main().catch(error => {
	console.error(error);
	process.exit(1);
});
