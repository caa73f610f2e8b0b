// Package settings knows what the OVN-Kubernetes of a cluster runs with, as far as rows
// hang on it: the claims of flags, of each zone's rows and of the cluster's
// configuration, and which of them wins.
//
// Invariants: a DialectView is immutable and made in whole steps; a flag outranks the zone's
// rows, those the configuration, that the image, that the default; each setting says
// where its value comes from.
//
// It imports model, compiler and the sources it reads configuration with. The rest of
// engine, ui and cli may import it.
package settings
