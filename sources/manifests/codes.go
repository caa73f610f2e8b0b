package manifests

import (
	"rung/model"
	"rung/sources/manifests/yamltree"
)

// The codes of model.Broken this package gives out.
const (
	CodeFile        = "file" // cannot be read, or is too large
	CodeYAML        = yamltree.NotYAML
	CodeJSON        = yamltree.NotJSON
	CodeAliases     = yamltree.ManyAliases
	CodeNotObject   = "not-an-object"    // a document that is no Kubernetes object
	CodeUnknownKind = "unknown-kind"     // an object that is left aside
	CodeExpected    = "expectations"     // statements for rung verify, no objects
	CodePatch       = "json-patch"       // operations of a kustomization, no objects
	CodeAPIVersion  = "api-version"      // a known kind of an unknown version
	CodeUnknown     = "unknown-field"    // a field that does not exist there
	CodeType        = "field-type"       // a value of the wrong type
	CodeDuplicate   = "duplicate-field"  // the same field twice
	CodeDuplicated  = "duplicate-object" // the same object twice
	CodeMetadata    = "metadata"         // name, namespace, labels, annotations
	CodeSchema      = "schema"           // refused by the kind's schema
	CodeCEL         = "cel"              // refused by a validation rule of the CRD
	CodeProfile     = "profile"          // OVN-Kubernetes cannot take it
	CodeCIDR        = model.InvalidCIDR
	CodeSelector    = model.InvalidSelector
	CodeCIDRForm    = model.InvalidCIDRForm
	CodeProtocol    = model.InvalidProtocol
	CodeAnnotation  = "annotation" // an annotation that cannot be read
	CodeNetwork     = "network"    // a network that cannot be used as it is written
	CodeNamespace   = "namespace-missing"
	CodeIdle        = "no-replicas"  // workloads that stand for no pod
	CodeCut         = "replicas-cut" // a StatefulSet of which not all pods are judged
	CodeGone        = "file-gone"    // a watched file vanished
	CodeKept        = "kept"         // an earlier reading stays
)
