// Package config reads the part of the configuration file that is about the screen, and
// reports all its errors at once. A setting that is wrong is left out and never fatal.
// It imports the themes and the table of actions; ui and main import it.
package config
