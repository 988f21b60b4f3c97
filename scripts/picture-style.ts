/** The frame around GitHub's Markdown: the box of a comment, the lines of a diff. Colours are those of GitHub's light and dark themes. */
const colours = {
  light: {
    page: '#ffffff',
    text: '#1f2328',
    muted: '#59636e',
    border: '#d1d9e0',
    head: '#f6f8fa',
    added: '#dafbe1',
    removed: '#ffebe9',
    addedSign: '#aceebb',
    removedSign: '#ffcecb',
  },
  dark: {
    page: '#0d1117',
    text: '#f0f6fc',
    muted: '#9198a1',
    border: '#3d444d',
    head: '#151b23',
    added: '#12261e',
    removed: '#25171c',
    addedSign: '#1c4428',
    removedSign: '#542426',
  },
} as const;

export function frameStyle(theme: keyof typeof colours): string {
  const { page, text, muted, border, head, added, removed, addedSign, removedSign } = colours[theme];
  return `
body { margin: 0; padding: 12px; box-sizing: border-box; background: ${page}; color: ${text}; font: 14px/1.5 "Liberation Sans", Arial, sans-serif; }
.markdown-body { font-family: "Liberation Sans", Arial, sans-serif !important; font-size: 14px !important; background: transparent; }
.markdown-body table { display: table; width: 100%; font-size: 13px; }
.text { padding: 12px 16px; }
.thread { border: 1px solid ${border}; border-radius: 6px; overflow: hidden; margin-bottom: 12px; }
.thread:last-child { margin-bottom: 0; }
.path { background: ${head}; border-bottom: 1px solid ${border}; padding: 6px 12px; font: 12px "Liberation Mono", monospace; }
.code { font: 12px/20px "Liberation Mono", monospace; tab-size: 4; }
.line { white-space: pre; }
.number { display: inline-block; width: 36px; padding-right: 8px; text-align: right; color: ${muted}; }
.sign { display: inline-block; width: 20px; text-align: center; }
.add { background: ${added}; } .add .sign, .add .number { background: ${addedSign}; }
.del { background: ${removed}; } .del .sign { background: ${removedSign}; }
.box { border: 1px solid ${border}; border-radius: 6px; overflow: hidden; }
.comment { margin: 10px 12px; }
.head { background: ${head}; border-bottom: 1px solid ${border}; padding: 7px 16px; }
.label { border: 1px solid ${border}; border-radius: 10px; padding: 0 6px; font-size: 12px; color: ${muted}; }
.muted { color: ${muted}; }
.suggestion { border: 1px solid ${border}; border-radius: 6px; overflow: hidden; margin-bottom: 16px; }
.suggested { padding: 6px 12px; border-bottom: 1px solid ${border}; font-size: 12px; color: ${muted}; }
.commit { padding: 8px 12px; border-top: 1px solid ${border}; text-align: right; }
.commit span { border: 1px solid ${border}; border-radius: 6px; background: ${head}; padding: 3px 12px; font-size: 12px; font-weight: bold; }
`;
}
