// SPDX-License-Identifier: MIT
//
// node collector.js DIR [ANSWER...]
//
// An OpenTelemetry collector on loopback. Its port is in DIR/port once it
// listens. Each request gets the next ANSWER, later ones the last ANSWER; without
// one, it takes the next line of DIR/answers, which may change at any time:
// STATUS, or STATUS=WORDS, or STATUS:SECONDS for Retry-After; "stall": none, the
// connection stays open; "drop": a part, and the connection is closed. Every request
// appends a line to DIR/requests, its body to DIR/bodies and its time in
// milliseconds to DIR/times; "GET /quit" ends
// it. With SCHEMA=1 a body is decoded with the official schema in the npm
// package @opentelemetry/otlp-transformer: a body that does not match is
// answered with 400, the decoded one is written to DIR/decoded.
'use strict';
const fs = require('fs');
const http = require('http');

const [dir, ...answers] = process.argv.slice(2);
const Request = process.env.SCHEMA && require(
	'@opentelemetry/otlp-transformer/build/src/generated/root')
	.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

// Find members that the schema does not have.
function unknown(given, decoded, where) {
	if (given === null || typeof given !== 'object')
		return [];
	return Object.keys(given).flatMap(key => decoded[key] === undefined ?
		[`${where}.${key}`] :
		unknown(given[key], decoded[key], `${where}.${key}`));
}

// OTLP/JSON has ids as hexadecimal text, protobuf as bytes.
function withBytes(text) {
	return JSON.parse(text, (key, value) =>
		/^(trace|span|parentSpan)Id$/.test(key) ?
			Buffer.from(value, 'hex') : value);
}

function decode(text) {
	const message = Request.fromObject(withBytes(text));
	const bytes = Request.encode(message).finish();
	const decoded = Request.toObject(Request.decode(bytes),
		{ longs: String, arrays: true });
	const strange = unknown(JSON.parse(text), decoded, '');
	if (strange.length)
		throw new Error(`not in the schema: ${strange[0]}`);
	return JSON.stringify(decoded, (key, value) =>
		value && value.type === 'Buffer' ?
			Buffer.from(value.data).toString('hex') : value);
}

function nextAnswer() {
	if (answers.length)
		return answers.length > 1 ? answers.shift() : answers[0];
	const file = `${dir}/answers`;
	const [first, ...rest] = fs.readFileSync(file, 'utf8').trim().split('\n');
	if (rest.length)
		fs.writeFileSync(file, `${rest.join('\n')}\n`);
	return first;
}

function handle(request, response, body) {
	let [, status, mark, words] = nextAnswer()
		.match(/^(\w+)([:=]?)(.*)/);
	if (request.url === '/quit') {
		response.end();
		server.close();
		return;
	}
	fs.appendFileSync(`${dir}/requests`, `${request.method} ${request.url} ` +
		`${request.headers['content-type']} ${status}\n`);
	for (const name of Object.keys(request.headers).filter(name =>
		/^(x-|authorization$)/.test(name)))
		fs.appendFileSync(`${dir}/headers`,
			`${name}: ${request.headers[name]}\n`);
	if (Request && status === '200') {
		try {
			fs.appendFileSync(`${dir}/decoded`, `${decode(body)}\n`);
		} catch (error) {
			[status, mark, words] = [400, '=', error.message];
		}
	}
	fs.appendFileSync(`${dir}/times`, `${Math.round(performance.now())}\n`);
	if (status === '200')
		fs.appendFileSync(`${dir}/bodies`, `${body}\n`);
	if (status === 'stall')
		return;
	if (status === 'drop') {
		request.socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{');
		request.socket.destroySoon();
		return;
	}
	response.writeHead(status, mark === ':' ? { 'Retry-After': words } : {});
	response.end(mark === '=' ? words : '');
}

const server = http.createServer({ keepAliveTimeout: 0 },
	(request, response) => {
		const parts = [];
		request.on('data', part => parts.push(part));
		request.on('end', () => handle(request, response,
			Buffer.concat(parts).toString()));
	});
server.listen(0, '127.0.0.1', () => {
	fs.writeFileSync(`${dir}/port.new`, `${server.address().port}\n`);
	fs.renameSync(`${dir}/port.new`, `${dir}/port`);
});
