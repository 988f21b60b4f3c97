process.argv.push('post');
await import('./job/index.js');
