// Package manifests reads and watches Kubernetes objects in YAML and JSON: files, folders, standard input,
// revisions of a git repository, dumps of a whole cluster. It also changes the text of a policy
// (RewritePolicy, EditedText) and merges two changes (MergeTexts). Package yamltree has the tree of the text.
// PolicyObject makes the API object of a policy without text; it fails for content without an API field.
//
// A revision of a git repository (git:REV[:PATH]) is read as files, without a checkout, by git with fixed
// arguments: cat-file and ls-tree. Git gets names on standard input, so that a name cannot be an option.
// Nothing is fetched, and no program named by a git configuration runs.
//
// Read decodes strictly: a nonexistent or misplaced field is an error in a policy and a warning elsewhere.
// Gate 1 repeats the checks of the API server: schema, defaults and CEL rules of the CRDs (crds/, schemas/, or
// a cluster's, see Schemas). Gate 2 checks the limits of the network plugin (ovn-kubernetes.md#no-rows,
// antrea.md). An object that fails gate 1 is a model.Broken; a policy that fails gate 2 has Invalid set. A bad
// object never hides a good one. Policies in the forms of old releases are converted
// (older-forms.md#the-first-form-of-adminnetworkpolicy). Workloads without pods get the pods their controllers
// would make. Networks come from UserDefinedNetworks and NetworkAttachmentDefinitions (networks.md).
//
// Invariants: returned objects are complete and immutable; their text is clean, except the author's own in
// Policy.YAML and Policy.Original. Each unusable object has a one-line reason. At most MaxIssues are listed
// per object. A made pod has Planned set and no address; the same input gives the same pods. An edit changes
// no other byte: comments, order and style stay. The new text is parsed and compared before it is returned,
// and a file that changed since it was read is not written.
//
// It imports the model packages, yamltree, the tools of sources and Kubernetes' libraries. sources/kube,
// change, revision and the engine import it.
package manifests

//go:generate go tool controller-gen crd:maxDescLen=0 paths=sigs.k8s.io/network-policy-api/apis/v1alpha1;sigs.k8s.io/network-policy-api/apis/v1alpha2 output:dir=crds
//go:generate go test . -run TestGenerateEarlier -update
