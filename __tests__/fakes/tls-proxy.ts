import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

export type TlsProxy = {
  /** HTTPS_PROXY. */
  readonly url: string;
  /** NODE_EXTRA_CA_CERTS: the certificate that the host shows. */
  readonly certificate: string;
  /** Hosts that clients asked for, such as `api.openai.com:443`. */
  readonly hosts: readonly string[];
  close(): Promise<void>;
};

/** A proxy as companies have it, behind which one public host is a local server. All other hosts are refused. */
export async function startTlsProxy(host: string, target: string): Promise<TlsProxy> {
  const { key, certificate } = createCertificate(host);
  const hosts: string[] = [];
  const site = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (incoming, response) => {
    const onward = forward(
      new URL(incoming.url ?? '/', target),
      { method: incoming.method ?? 'GET', headers: incoming.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  const proxy = createServer((_, response) => response.writeHead(405).end());
  proxy.on('connect', (incoming, socket) => {
    hosts.push(incoming.url ?? '');
    socket.on('error', () => socket.destroy());
    if (incoming.url !== `${host}:443`) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    site.emit('connection', socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy is not listening.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    certificate,
    hosts,
    close: async () => {
      site.closeAllConnections();
      proxy.closeAllConnections();
      await new Promise<void>((resolve) => proxy.close(() => resolve()));
    },
  };
}

function createCertificate(host: string): { readonly key: string; readonly certificate: string } {
  const folder = temporaryFolder();
  const key = join(folder, 'key.pem');
  const certificate = join(folder, 'certificate.pem');
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files], {
    stdio: 'pipe',
  });
  return { key, certificate };
}
