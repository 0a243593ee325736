" Colours for Simple in Vim and Neovim: the words of the language, numbers, texts with their holes, comments, annotations.
if exists("b:current_syntax")
  finish
endif

syntax keyword simpleDeclaration fn me static val var let mut const struct class enum trait impl mixin extern type alias
syntax keyword simpleInclude use import export mod pub super
syntax keyword simpleControl if elif else for in while loop match case break continue return pass defer with assert try catch
syntax keyword simpleControl throw finally loop async await yield spawn unsafe pass_todo pass_do_nothing pass_dn
syntax keyword simpleOperator and or not xor is as
syntax keyword simpleConstant true false nil self
syntax keyword simpleType i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 bool text
syntax match simpleTypeName "\<[A-Z][A-Za-z0-9_]*\>"
syntax match simpleFunction "\%(\<fn\s\+\|\<me\s\+\)\@<=[A-Za-z_][A-Za-z0-9_]*"
syntax match simpleNumber "\<\d[0-9_]*\%(\.\d[0-9_]*\)\?\%([eE][+-]\?\d\+\)\?\%([iuf]\d\+\)\?\>"
syntax match simpleNumber "\<0[xX][0-9a-fA-F_]\+\>\|\<0[bB][01_]\+\>"
syntax match simpleAnnotation "@[A-Za-z_][A-Za-z0-9_]*"
syntax match simpleComment "#.*$" contains=@Spell
syntax match simpleDoc "##.*$" contains=@Spell
syntax match simpleEscape "\\." contained
syntax region simpleHole matchgroup=simpleEscape start="{" end="}" contained contains=TOP
syntax region simpleText start=+"+ skip=+\\.+ end=+"+ contains=simpleEscape,simpleHole
syntax region simpleText start=+'+ end=+'+ oneline
syntax region simpleText start=+"""+ end=+"""+ contains=simpleEscape,simpleHole,@Spell

highlight default link simpleDeclaration Keyword
highlight default link simpleInclude Include
highlight default link simpleControl Statement
highlight default link simpleOperator Operator
highlight default link simpleConstant Constant
highlight default link simpleType Type
highlight default link simpleTypeName Type
highlight default link simpleFunction Function
highlight default link simpleNumber Number
highlight default link simpleAnnotation PreProc
highlight default link simpleComment Comment
highlight default link simpleDoc SpecialComment
highlight default link simpleEscape SpecialChar
highlight default link simpleText String

let b:current_syntax = "simple"
