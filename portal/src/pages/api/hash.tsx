/** The hash of the document that the page was made from: the same on every page and in the ETag of the download. */
export const Hash = ({ etag }: { etag: string }) => (
  <p className="ref-hash">
    Specification <code>{etag}</code>
  </p>
);
