// Package manifests reads Kubernetes objects from YAML and JSON: files, folders, standard input,
// revisions of a git repository, dumps of a whole cluster, and watches them. It also changes
// the text of a policy (RewritePolicyText, EditedText) and merges two changes (MergeTexts).
// Package yamltree has the tree of the text. PolicyObject makes the API object of a policy without
// text: what the API has no field for is an error.
//
// A revision of a git repository (git:REV[:PATH]) is read as files, without a checkout, by git
// itself with fixed arguments: cat-file and ls-tree. Names reach git by its standard input, so that
// none can be an option. Nothing is fetched, and no program of a configuration is run.
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
// It imports the model packages, yamltree, the tools of sources and Kubernetes'
// libraries. sources/kube, change, revision and the engine import it.
package manifests

//go:generate go tool controller-gen crd:maxDescLen=0 paths=sigs.k8s.io/network-policy-api/apis/v1alpha1;sigs.k8s.io/network-policy-api/apis/v1alpha2 output:dir=crds
//go:generate go test . -run TestGenerateEarlier -update
