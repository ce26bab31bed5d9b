Dict = dict
