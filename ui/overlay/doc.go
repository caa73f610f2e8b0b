// Package overlay has what lies over a page and takes its keyboard: the palette of all
// actions and places, and the help of all keys. A choice made there is data (ChosenItem),
// which the root model carries out once the overlay is gone. It imports the engine's facts,
// the table of actions and the widgets; ui alone imports it.
package overlay
