// Package yamltree is the tree of YAML and JSON: how a text becomes nodes, where these are in the text, and
// how values become text again. It knows nothing of policies.
//
// CutDocuments cuts a text. Parse makes the tree of one document, the same for JSON as for YAML. Flatten
// resolves aliases and merge keys. SplitList cuts a Kubernetes List without parsing it. Get, TextAt and
// similar functions read a node by its path, JSONValue the whole tree. Layout finds a node's bytes. Marshal
// and BlockText write a value as people write Kubernetes objects, FlowText and ScalarLike on one line.
//
// Invariants: no text causes a panic or growth beyond a given bound; scalars are read as Kubernetes' tools
// read them (YAML 1.1); written values are read back unchanged. Text of nodes is not cleaned, except by
// PathText.
//
// It imports model/words. sources/manifests, change/rewrite, engine/template and engine/verify import it.
package yamltree
