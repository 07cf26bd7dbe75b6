// Sends requests about the comments below a post to the Admin API, on behalf of the signed-in staff user. The page of the post
// cannot do this, because browsers send the session cookie only to the paths of the API.
(() => {
  const site = document.documentElement.dataset.site;
  const api = new URL('../api/admin/', location.href);

  const id = (value) => {
    if (!/^[0-9a-f]{24}$/i.test(value)) throw new Error('The id is invalid.');
    return value;
  };
  const ask = async (path, { parameters, changes } = {}) => {
    const url = new URL(path, api);
    url.search = new URLSearchParams(parameters);
    const headers = { 'Content-Type': 'application/json' };
    const change = changes && { method: 'PUT', headers, body: JSON.stringify({ comments: [changes] }) };
    const response = await fetch(url, change);
    return response.json();
  };
  const change = (data, fields) => ask(`comments/${id(data.id)}/`, { changes: { id: data.id, ...fields } });

  const actions = {
    getUser: () => ask('users/me/', { parameters: { include: 'roles' } }),
    browseComments: (data) => ask(`comments/post/${id(data.postId)}/`, { parameters: data.params }),
    getReplies: (data) => ask(`comments/${id(data.commentId)}/replies/`, { parameters: data.params }),
    readComment: (data) => ask(`comments/${id(data.commentId)}/`, { parameters: data.params }),
    hideComment: (data) => change(data, { status: 'hidden' }),
    showComment: (data) => change(data, { status: 'published' }),
    pinComment: (data) => change(data, { pinned: true }),
    unpinComment: (data) => change(data, { pinned: false }),
  };

  addEventListener('message', async ({ origin, source, data: text }) => {
    if (origin !== site) return;
    const reply = (fields) => source.postMessage(JSON.stringify(fields), site);
    let data;
    try {
      data = JSON.parse(text);
    } catch {
      return;
    }
    if (!Object.hasOwn(actions, data?.action)) return;
    try {
      reply({ uid: data.uid, error: null, result: await actions[data.action](data) });
    } catch (error) {
      reply({ uid: data.uid, error: error.message, result: null });
    }
  });
})();
