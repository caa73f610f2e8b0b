// Package yamltree is the tree of YAML and JSON: how a text becomes nodes, where these
// stand in it, and how values become text again. It knows nothing of policies.
//
// CutDocuments cuts a text, Parse makes the tree of one document, of JSON the same as of
// YAML, and Flatten takes aliases and merge keys out of it; SplitList cuts a List of
// Kubernetes without parsing it. Get, TextAt and their like read a node by its path, JSONValue
// all of it. Layout finds a node's bytes. Marshal and BlockText write a value as people
// write Kubernetes objects, FlowText and ScalarText on one line.
//
// Invariants: no text makes it panic or grow beyond a bound that was given; scalars are
// read as Kubernetes' tools read them (YAML 1.1); what is written is read back as it
// was. Text of nodes is as it came, cleaning it is the caller's duty; only PathText cleans.
//
// It imports model/words. sources/manifests and its edit import it.
package yamltree
