throw new Error('the licence has expired\nand more that nobody needs');
