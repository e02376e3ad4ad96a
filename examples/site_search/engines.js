// Search engines for static sites, each with our terms, or by itself where `terms` is null: how an
// index is built, saved, loaded and asked. Records have a title and a text; ids are their numbers.
import { forFlexSearch, forLunr, forMiniSearch, forOrama, lunrQuery } from "segmenter-zh/search";

const both = (record) => `${record.title}\n${record.text}`;

export const engines = {
  async MiniSearch(terms) {
    const { default: MiniSearch } = await import("minisearch");
    const options = { fields: ["title", "text"], ...(terms ? forMiniSearch(terms) : {}) };
    return {
      build(records) {
        const index = new MiniSearch(options);
        index.addAll(records.map((record, id) => ({ id, ...record })));
        return index;
      },
      save: (index) => JSON.stringify(index),
      load: (text) => MiniSearch.loadJSON(text, options),
      find: (index, text) => index.search(text, { boost: { title: 3 } }).map((hit) => hit.id),
    };
  },

  async FlexSearch(terms, own = {}) {
    const { default: FlexSearch } = await import("flexsearch");
    const options = terms ? forFlexSearch(terms) : own.encoder ? { encoder: FlexSearch.Charset[own.encoder] } : {};
    return {
      build(records) {
        const index = new FlexSearch.Index(options);
        records.forEach((record, id) => index.add(id, both(record)));
        return index;
      },
      save(index) {
        const parts = {};
        index.export((name, text) => { parts[name] = text; });
        return JSON.stringify(parts);
      },
      load(text) {
        const index = new FlexSearch.Index(options);
        for (const [name, part] of Object.entries(JSON.parse(text))) index.import(name, part);
        return index;
      },
      find: (index, text) => index.search(terms ? terms.ask(text) : text, { limit: 1e6 }),
    };
  },

  async lunr(terms) {
    const lunr = globalThis.lunr ?? (await import("lunr")).default;  // a page has a script element for it
    return {
      build: (records) => lunr(function () {
        if (terms) this.use(forLunr(terms));
        this.ref("id");
        this.field("title", { boost: 3 });
        this.field("text");
        records.forEach((record, id) => this.add({ id, ...record }));
      }),
      save: (index) => JSON.stringify(index),
      load: (text) => lunr.Index.load(JSON.parse(text)),
      find: (index, text) => (terms ? index.query(lunrQuery(terms, text)) : index.search(text)).map((hit) => Number(hit.ref)),
    };
  },

  async Orama(terms, own = {}) {
    const { create, insert, load, save, search } = await import("@orama/orama");
    const empty = () => create({
      schema: { title: "string", text: "string" },
      sort: { enabled: false },
      ...(terms ? { components: { tokenizer: forOrama(terms) } } : own),
    });
    return {
      build(records) {
        const index = empty();
        records.forEach((record, id) => insert(index, { id: String(id), ...record }));
        return index;
      },
      save(index) {
        const saved = save(index);
        for (const doc of Object.values(saved.docs.docs)) doc.title = doc.text = "";  // the page has the texts
        return JSON.stringify(saved);
      },
      load(text) {
        const index = empty();
        load(index, JSON.parse(text));
        return index;
      },
      find(index, text) {
        const asked = terms ? { term: terms.ask(text), threshold: 0 } : { term: text };
        return search(index, { ...asked, boost: { title: 3 }, limit: 1e6 }).hits.map((hit) => Number(hit.id));
      },
    };
  },
};
