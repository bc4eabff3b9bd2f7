// Package secret replaces secrets in the text of HTTP messages by placeholders, in place and of the same length, so that
// no offset and no length changes.
//
// Words it owns: a secret is the value of a field, cookie or query parameter whose name says so; a placeholder is what
// stands for it, made of [a-z0-9]; a known value is a secret that has been met and is looked for elsewhere.
//
// Equal secrets have equal placeholders under one [Masker], so that who belongs to whom can still be told. Placeholders
// are derived with a random salt that is never given away: they are worthless outside and cannot be traced back.
//
// It deliberately does not guess: a secret that no name gives away is not one, and one that stands elsewhere in another
// encoding (percent signs, base64, compressed) is not found.
package secret
