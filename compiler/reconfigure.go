package compiler

import "reflect"

// Reconfigure compiles everything anew with other options. Like a step it returns
// the desired rows with what is new about them: anything may be. Options that come
// to the same as those that hold, such as the families that the pods have, change
// nothing.
func (c *Compiler) Reconfigure(o Options) (*Desired, *Delta) {
	before := c.options
	c.requested = o
	c.families()
	if reflect.DeepEqual(before, c.options) {
		return c.desired, &Delta{}
	}
	return c.compact(c.cluster)
}
