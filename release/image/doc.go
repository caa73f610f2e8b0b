// Package image writes the image of a container, for several platforms, from programs that are
// already built: a layout of the Open Container Initiative in one tar file. It starts from
// nothing: the program, a user that is not root, a home, a folder for temporary files and the
// licences are all there is; no shell, no certificates, no time zones. No engine is needed.
package image
