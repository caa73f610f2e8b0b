package manifests

import (
	"rung/model"
	"rung/sources/manifests/yamltree"
)

// The codes of model.Broken from this package.
const (
	CodeFile        = "file" // unreadable, or too large
	CodeYAML        = yamltree.NotYAML
	CodeJSON        = yamltree.NotJSON
	CodeAliases     = yamltree.ManyAliases
	CodeNotObject   = "not-an-object"    // a document that is not a Kubernetes object
	CodeUnknownKind = "unknown-kind"     // a skipped object
	CodeExpected    = "expectations"     // statements for rung verify, not objects
	CodePatch       = "json-patch"       // operations of a kustomization, not objects
	CodeAPIVersion  = "api-version"      // a known kind in an unknown version
	CodeUnknown     = "unknown-field"    // a field that does not exist there
	CodeType        = "field-type"       // a value of the wrong type
	CodeDuplicate   = "duplicate-field"  // the same field twice
	CodeDuplicated  = "duplicate-object" // the same object twice
	CodeMetadata    = "metadata"         // name, namespace, labels, annotations
	CodeSchema      = "schema"           // rejected by the kind's schema
	CodeCEL         = "cel"              // rejected by a validation rule of the CRD
	CodeProfile     = "profile"          // OVN-Kubernetes cannot use it
	CodeCIDR        = model.InvalidCIDR
	CodeSelector    = model.InvalidSelector
	CodeCIDRForm    = model.InvalidCIDRForm
	CodeProtocol    = model.InvalidProtocol
	CodeAnnotation  = "annotation" // an unreadable annotation
	CodeNetwork     = "network"    // a network that cannot be used as written
	CodeNamespace   = "namespace-missing"
	CodeIdle        = "no-replicas"  // workloads without pods
	CodeCut         = "replicas-cut" // a StatefulSet with pods left out
	CodeGone        = "file-gone"    // a watched file vanished
	CodeKept        = "kept"         // an earlier state of the file stays
)
