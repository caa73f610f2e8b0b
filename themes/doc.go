// Package themes holds colour themes as data: a theme names a style for each semantic token (allow, deny,
// warn, title …), and StyleSet is the ready form for the screen. No other package makes lipgloss styles.
//
// Invariants: for a missing token, a theme falls back to the plain built-in theme, so every token has a look;
// a broken theme file is reported and never stops the program; colour alone carries no meaning, so the mono
// theme shows everything.
//
// It may import colour and file libraries, and of Rung only sources/files and model/words; ui and cli import
// it.
package themes
