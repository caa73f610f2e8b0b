// Package themes holds colour themes as data: a theme names a style for each
// semantic token (allow, deny, warn, title …), and StyleSet is the ready form the
// screen uses. It is the only place where a lipgloss style is made.
//
// Invariants: a theme that leaves a token out falls back to the built-in one of
// the same appearance, so that every token is always there; a broken theme file
// is reported and never stops the program; no meaning is carried by colour
// alone, so that the mono theme shows everything.
//
// It may import colour and file libraries, nothing else of Rung; ui and cli
// import it.
package themes
