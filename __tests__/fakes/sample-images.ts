/** Each shows four fields, 48 by 32 pixels: red and green above, blue and `fourth` below. Made with the encoders of libwebp, mozjpeg and omggif. */
export const sampleImages = {
  jpeg: {
    format: 'jpeg',
    fourth: 'black',
    bytes: decode([
      '/9j/4AAQSkZJRgABAQAAAQABAAD/2wCEAAMDAwMDAwQEBAQFBQUFBQcHBgYHBwsICQgJCAsRCwwLCwwLEQ8SDw4PEg8bFRMTFRsfGhkaHyYi',
      'IiYwLTA+PlQBAwMDAwMDBAQEBAUFBQUFBwcGBgcHCwgJCAkICxELDAsLDAsRDxIPDg8SDxsVExMVGx8aGRofJiIiJjAtMD4+VP/AABEIACAA',
      'MAMBEQACEQEDEQH/xABRAAEBAQEAAAAAAAAAAAAAAAAABgcIEAEAAAAAAAAAAAAAAAAAAAAAAQEBAQEBAAAAAAAAAAAAAAAACQYHCBEBAAAA',
      'AAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8A5KckULAAa0xqIIADJWyW+AAa0xqIIADkJZh6IAAQSejVgAL1QtlAAEEno1YAD//Z',
    ]),
  },
  progressiveJpeg: {
    format: 'jpeg',
    fourth: 'black',
    bytes: decode([
      '/9j/4AAQSkZJRgABAQAAAQABAAD/2wCEAAMDAwMDAwQEBAQFBQUFBQcHBgYHBwsICQgJCAsRCwwLCwwLEQ8SDw4PEg8bFRMTFRsfGhkaHyYi',
      'IiYwLTA+PlQBAwMDAwMDBAQEBAUFBQUFBwcGBgcHCwgJCAkICxELDAsLDAsRDxIPDg8SDxsVExMVGx8aGRofJiIiJjAtMD4+VP/CABEIACAA',
      'MAMBEQACEQEDEQH/xAAtAAEBAQEAAAAAAAAAAAAAAAAABgcIAQEBAQEBAAAAAAAAAAAAAAAACQYHCP/aAAwDAQACEAMQAAAA5K5JQsDWsbEE',
      'DJdlb4DWsbEEDkKzHogCCnpqwL2heUAgp6asD//EABQQAQAAAAAAAAAAAAAAAAAAAED/2gAIAQEAAT8AR//EABQRAQAAAAAAAAAAAAAAAAAA',
      'AED/2gAIAQIBAT8AR//EABQRAQAAAAAAAAAAAAAAAAAAAED/2gAIAQMBAT8AR//Z',
    ]),
  },
  lossyWebp: {
    format: 'webp',
    fourth: 'black',
    bytes: decode([
      'UklGRnYAAABXRUJQVlA4IGoAAABwBQCdASowACAAPikOhUKhh1QGAKEswBfQKC/APwA1mrgH4S/rXvAP2AzvsMuQdx1+P6CAAP78DSSz2h60',
      '4RFso931V1heusXHhUUhpT/2Eddvk/ot74M6ysve9+P/9rLpDFWvPOCAAAAA',
    ]),
  },
  losslessWebp: {
    format: 'webp',
    fourth: 'black',
    bytes: decode(['UklGRj4AAABXRUJQVlA4TDIAAAAvL8AHAB8woGLBZFj5X2GJBZNh5X+FNf+BzBlQ07YRVJIleSTfzJ0j+j8BhY2ZGYWZAQ==']),
  },
  alphaWebp: {
    format: 'webp',
    fourth: 'transparent',
    bytes: decode([
      'UklGRqYAAABXRUJQVlA4WAoAAAAQAAAALwAAHwAAQUxQSBYAAAABDzD/ERGCTNom/k3XwPZH9H8CeohlVlA4IGoAAABwBQCdASowACAAPikO',
      'hUKhh1QGAKEswBfQKC/APwA1mrgH4S/rXvAP2AzvsMuQdx1+P6CAAP78DSSz2h604RFso931V1heusXHhUUhpT/2Eddvk/ot74M6ysve9+P/',
      '9rLpDFWvPOCAAAAA',
    ]),
  },
  gif: {
    format: 'gif',
    fourth: 'transparent',
    bytes: decode([
      'R0lGODlhMAAgAIEAAMgAAACgAAAAyAAAACH/C05FVFNDQVBFMi4wAwEAAAAh+QQBAAADACwAAAAAMAAgAAACgISPqRftD6NbtMqLq064ww0C',
      '3hiEG+mZGtqpFnu5FBzLCi3ZN/7pCN/zGYAPIYPYMA6RJSWzaXwKptSq9UodaLfcrneLDYu/5LL4bC2ru+i2YA0fuNHx9fxcV9/HefI+3Of3',
      'dxX4NUhYyHZYlai4ONXI9ZgVqTUJWSl3mak5yVkAACH5BAAKAAAALAAAAAAwACAAAAKAnI+pJ+0Po1u0yourTrjDDQ7eKIQb6Zka2qkWe7kU',
      'HMsKLdk3/ukI3/MZgA8hg9gwDpElJbNpfAam1Kr1SgVot9yud4sNi7/ksvhsLau76HZgDQe40fH1/FxX38d58j7c5/d3Ffg1SFjIdliVqLg4',
      '1cj1mBWpNQlZKXeZqTnJWQAAOw==',
    ]),
  },
} as const;

function decode(lines: readonly string[]): Buffer {
  return Buffer.from(lines.join(''), 'base64');
}
