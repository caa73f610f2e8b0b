// Package source delivers objects to an engine: the interface of a source, the step it
// delivers, and an API server as a source.
//
// Invariant: an Update is a whole step; nothing half-read is published.
//
// engine, gate and cli may import it; it imports revision, model, sources/kube and sources/manifests.
package source
