// Package antrea holds the manifests of the demo cluster on Antrea
// (`rung demo --system antrea`): every policy, Tier and group that Antrea's documentation
// of its policies shows, as it stands there, and the namespaces, pods and Services they
// select. It is a folder of its own, since `rung -f examples` reads folders whole.
//
// It is a leaf: engine reads it for the demo.
package antrea
