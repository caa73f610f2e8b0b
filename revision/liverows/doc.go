// Package liverows answers questions about the live rows of zones: whose a row is, in
// which order rows decide and where they tie, how they differ from the desired ones and
// which known defect of OVN-Kubernetes explains that, and which rows on the ladder no
// policy has.
//
// Invariants: it changes no row. Its caches from one revision to the next lie in the
// revision (revision.CarriedValue). It imports revision and model. The questions beside it, the
// gate, the engine, pages, ui and cli may import it.
package liverows
