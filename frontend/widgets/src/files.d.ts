declare module '*.graphql' {
  const document: import('./ask.ts').Document;
  export default document;
}

declare module '*.css' {
  const text: string;
  export default text;
}
