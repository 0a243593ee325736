autocmd BufRead,BufNewFile *.spl setfiletype simple
