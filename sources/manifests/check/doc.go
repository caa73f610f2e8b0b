// Package check says what is wrong with the tree of a Kubernetes object by its Go API type:
// fields that do not exist, values of another form, names that no object may have. Its codes are
// those of everything that sources/manifests reports (model.Broken.Code).
//
// Invariants: at most MaxIssues are told of one object; text in them was cleaned.
//
// It imports model and manifests/yamltree. Its neighbours below sources/manifests import it, and
// who asks for a code.
package check
