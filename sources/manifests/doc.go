// Package manifests reads Kubernetes objects from YAML and JSON: files, folders, standard input,
// dumps of a whole cluster, and watches them. Package yamltree has the tree of their text, check
// the errors of a tree by its type, policy the model's form of a policy, admission the API
// server's checks, older the forms of old releases. Two packages go the other way: edit changes a
// text, write makes an object of a policy that has no text.
//
// Read decodes strictly: a field that does not exist, or not there, is an error in a policy and a
// warning elsewhere, never silently dropped. AdminNetworkPolicy and BaselineAdminNetworkPolicy
// then pass gate 1, the checks of the Kubernetes API server (package admission; for an earlier
// release of the CRDs, see Options.Release), and every policy passes gate 2, the limits of
// OVN-Kubernetes (ovn-kubernetes.md#no-rows). An object that fails the first is a model.Broken, a
// policy that fails the second has Invalid set. One bad object never hides a good one.
//
// Invariants: objects handed out are complete and immutable; text in them was cleaned, except
// Policy.YAML and Policy.Original, which are the author's own; nothing half-read is published.
//
// It imports the model packages, the packages below it but for edit and write, the tools of
// sources and Kubernetes libraries. sources/kube, its own edit and write and the engine import it.
//
// It also reads the objects that lead from outside the cluster to Services: Ingress, the Gateway
// API's HTTPRoute and OpenShift's Route.
//
// Invariant: only hosts, paths, Services and ports are read; text in them was cleaned.
//
// It imports model, model/words and the tree of manifests; sources/manifests imports it.
//
// It also reads the objects that networks besides the default one come from, and what
// annotations say of how pods and nodes stand on networks: UserDefinedNetwork,
// ClusterUserDefinedNetwork and ClusterNetworkConnect of OVN-Kubernetes,
// NetworkAttachmentDefinition (networks.md).
//
// Invariants: an object that cannot be used is read all the same, and says why in one line (Err); the
// same line is among its issues, with the field. Subnets are masked. Text was cleaned.
//
// It imports model, model/network, sources/manifests and manifests/yamltree; sources/manifests imports it.
//
// It also turns AdminNetworkPolicies and their baselines that are written in the forms of
// the API's first iterations into today's form
// (older-forms.md#the-first-form-of-adminnetworkpolicy), and says what of them no object of
// today says.
//
// Invariants: a tree is changed only by ModerniseTree and ReadOlder; comments of a text are
// kept where the text can be changed in place.
//
// It imports model and manifests/yamltree. sources/manifests imports it.
//
// It also says what an argument names that Rung is to read: a file or folder, standard
// input, a revision of a git repository, or a context of the kubeconfig.
//
// It imports gitfs; sources/manifests and the engine import it.
//
// It also says what is wrong with the tree of a Kubernetes object by its Go API type:
// fields that do not exist, values of another form, names that no object may have. Its codes are
// those of everything that sources/manifests reports (model.Broken.Code).
//
// Invariants: at most MaxIssues are told of one object; text in them was cleaned.
//
// It imports model and manifests/yamltree. Its neighbours below sources/manifests import it, and
// who asks for a code.
//
// Brings typed policies into the model's form: AdminNetworkPolicy, its baseline,
// ClusterNetworkPolicy, NetworkPolicy, MultiNetworkPolicy, EgressFirewall, and the policies of Antrea, whose API
// types it has. Values that their network plugin cannot take (ovn-kubernetes.md#no-rows,
// antrea.md) are noted in Policy.Invalid, and never keep a policy from being read.
//
// Invariants: a policy handed out is complete and has its typed object as Original; texts were
// cleaned.
//
// It imports model, sources/manifests and manifests/yamltree. sources/manifests and its admission
// import it, and packages that turn a tree into its typed object.
//
// It also says what the API server would refuse of a policy or network: by the OpenAPI schema,
// the defaults, the pruning and the CEL rules of its CRD (crds/, those of Antrea, of networks and of an
// earlier release in schemas/, or those a cluster has, see Schemas), and by the checks that Kubernetes
// has in code for NetworkPolicies, which MultiNetworkPolicies must pass as well.
//
// Invariants: it is safe for concurrent use; a CRD is compiled when the first object needs it.
//
// It imports model, sources/manifests, sources/manifests and Kubernetes' libraries. sources/manifests
// imports it, sources/kube, which brings the CRDs of a cluster, and who offers releases.
//
// It also makes pods of workloads: Deployments and the other kinds that keep pods
// running. A repository has these and no pods; a policy is about pods. So a workload stands for
// the pods that its controller would make of its template: two where it wants several, one a
// node for a DaemonSet, two if no node is known. Where pods of a workload exist, these count and none is made.
//
// Invariants: a made pod has model.Pod.ToBe set and neither a node nor an address of its own;
// the same workloads, pods and nodes give the same pods, whatever their order.
//
// It imports model and Kubernetes' types; sources/manifests, which reads workloads from text and
// from an API server, imports it, and so does the engine, which follows them on a cluster.
//
// It also writes changes of policies back into the text they were read from.
//
// RewritePolicyText changes the text of one policy, EditedText that of a file: an Edit sets,
// replaces, takes out or adds an object. The difference of what an object means and what it
// is to mean becomes splices of the text, at the nodes that differ. MergeTexts puts two
// changes of one text together.
//
// Invariants: no byte changes that an edit is not about; comments, order and style stay;
// the new text is read back and held against what was meant before it is given out, and
// a change that cannot be made so is an *EditError and nothing else; a file that is not the
// one that was read is not written.
//
// It imports sources/manifests, whose reading it relies on, its yamltree, and
// sources/safefile. The engine imports it.
package manifests
