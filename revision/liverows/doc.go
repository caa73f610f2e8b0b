// Package liverows answers what the live rows of zones are: whose a row is, in which order
// rows decide and where they tie, how they differ from the desired ones and which known
// defect of OVN-Kubernetes explains that, and the rows on the ladder that no policy has.
//
// Invariants: it changes no row. What it keeps from one revision to the next lies in the
// revision (revision.Carried). It imports revision and model. The questions beside it, the
// gate, the engine, pages, ui and cli may import it.
package liverows
