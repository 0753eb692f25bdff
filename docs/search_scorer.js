/** How a search ranks what it finds: guides first, then the names of classes and functions, then their source. */
// eslint-disable-next-line no-unused-vars
var Scorer = {
  score: ([docname, , , , score]) => score * (docname.startsWith("api/") ? 0.3 : 1) - (docname.startsWith("_modules/") ? 50 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 5, 1: 0, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
