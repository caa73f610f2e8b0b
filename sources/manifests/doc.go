// Package manifests reads Kubernetes objects from YAML and JSON: files, folders, standard input,
// revisions of a git repository, dumps of a whole cluster, and watches them. It also changes
// the text of a policy (RewritePolicyText, EditedText) and merges two changes (MergeTexts).
// Package yamltree has the tree of the text, write makes an object of a policy without text.
//
// Read decodes strictly: a field that does not exist or is misplaced is an error in a policy
// and a warning elsewhere. Gate 1 are the checks of the API server: schema, defaults and CEL
// rules of the CRDs (crds/, schemas/, or those of a cluster, see Schemas). Gate 2 are the
// limits of the network plugin (ovn-kubernetes.md#no-rows, antrea.md). An object that fails
// gate 1 is a model.Broken; a policy that fails gate 2 has Invalid set. One bad object never
// hides a good one. Policies in the forms of old releases become today's form
// (older-forms.md#the-first-form-of-adminnetworkpolicy). Workloads without pods get the pods
// that their controllers would make. Networks come from UserDefinedNetworks and
// NetworkAttachmentDefinitions (networks.md).
//
// Invariants: objects handed out are complete and immutable; their text was cleaned, except
// Policy.YAML and Policy.Original, the author's own. An object that cannot be used is read
// and says why in one line. At most MaxIssues are listed of one object. A made pod has ToBe
// set and no address; the same input gives the same pods. An edit changes no other byte:
// comments, order and style stay, the new text is read back and compared before it is given
// out, and a file that changed since it was read is not written.
//
// It imports the model packages, yamltree, gitfs, the tools of sources and Kubernetes'
// libraries. sources/kube, change, revision and the engine import it.
//
// Makes the API object of a policy from its normal form: of what was made by hand,
// proposed or converted, and has no text yet.
//
// Invariants: what comes was read again by sources/manifests and says the same; what the API has
// no field for is an error, never left out.
//
// It imports model and sources/manifests. engine's rooms that make policies import it.
//
// Reads a revision of a git repository as files, without a checkout: git:REV[:PATH].
// It runs git itself, with fixed arguments and never through a shell: cat-file finds the revision
// and gives the text of files, ls-tree lists them.
//
// Invariants: names go to git by its standard input or as object names that git gave, so that none
// can be an option. Nothing is fetched, asked for or changed, and no program of a configuration is
// run: hooks, pagers, file system monitors, remote helpers. A link is followed inside the tree of
// its revision and never out of it. Every process ends with its context.
//
// It imports model/words and the tools of sources; sources/manifests imports it.
package manifests
