// Search engines for static sites, with our terms, or with their own if `terms` is null: functions that
// build, save, load and search an index. Records have a title and a text; ids are their numbers.
import { forFlexSearch, forLunr, forMiniSearch, forOrama, lunrQuery } from "segmenter-zh/search";

const fullText = (record) => `${record.title}\n${record.text}`;

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

  async FlexSearch(terms, settings = {}) {
    const { default: FlexSearch } = await import("flexsearch");
    const options = terms ? forFlexSearch(terms) : settings.encoder ? { encoder: FlexSearch.Charset[settings.encoder] } : {};
    return {
      build(records) {
        const index = new FlexSearch.Index(options);
        records.forEach((record, id) => index.add(id, fullText(record)));
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
    const lunr = globalThis.lunr ?? (await import("lunr")).default;  // in a page a script element defines it
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

  async Orama(terms, settings = {}) {
    const { create, insert, load, save, search } = await import("@orama/orama");
    const empty = () => create({
      schema: { title: "string", text: "string" },
      sort: { enabled: false },
      ...(terms ? { components: { tokenizer: forOrama(terms) } } : settings),
    });
    return {
      build(records) {
        const index = empty();
        records.forEach((record, id) => insert(index, { id: String(id), ...record }));
        return index;
      },
      save(index) {
        const saved = save(index);
        for (const doc of Object.values(saved.docs.docs)) doc.title = doc.text = "";  // the page loads the texts itself
        return JSON.stringify(saved);
      },
      load(text) {
        const index = empty();
        load(index, JSON.parse(text));
        return index;
      },
      find(index, text) {
        const parameters = terms ? { term: terms.ask(text), threshold: 0 } : { term: text };
        return search(index, { ...parameters, boost: { title: 3 }, limit: 1e6 }).hits.map((hit) => Number(hit.id));
      },
    };
  },
};
