// Package clean makes text from outside safe to print: names, labels, annotations, log
// lines and database strings pass through it where they enter. Text that is kept as it
// was written, the text of a policy above all, is cleaned where it is shown, copied or
// printed instead (Escape, JSON), and the whole frame of the console once more (Frame).
// It is a leaf and may be imported by everybody.
package clean
