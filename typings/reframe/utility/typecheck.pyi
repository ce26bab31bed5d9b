Dict = dict
Bool = bool
