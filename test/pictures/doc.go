// Command pictures makes the pictures of the documents from the real program:
// for each scene it starts rung in a pseudo-terminal, presses the scene's keys and
// writes what is on the screen as NAME.svg and NAME.png. A scene with moments is a
// recording: NAME.svg plays them, each with its keys and why they are pressed.
// `make screenshots` runs it.
//
//	go run ./test/pictures [-bin bin/rung] [-out screenshots] [-only REGEXP] [-text]
//
// Scenes on real OVN are made where RUNG_OVN names one, or PATH has one; elsewhere their
// stored pictures stay, which one line says.
//
// A scene waits for texts, not for time, so a picture that would show something
// else fails and is not written. A character that cannot be drawn fails too.
package main
