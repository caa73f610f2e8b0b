// Package settings knows what the OVN-Kubernetes of a cluster runs with, as far as rows
// hang on it: what was given by flag, what the rows of each zone tell, what the
// cluster's configuration says, and which of them wins.
//
// Invariants: a View is immutable and made in whole steps; a flag outranks the zone's
// rows, those the configuration, that the image, that the default; each setting says
// where its value comes from.
//
// It imports model, compiler and the sources it reads configuration with. The rest of
// engine, ui and cli may import it.
package settings
